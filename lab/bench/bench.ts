import './options.ts'
import { installed } from '../../scripts/lib/install.ts'

// The options are read before anything else, so that help installs nothing; the packages are there before they are imported.
await installed(import.meta.dirname)
await import('./run.ts')
