import { existsSync, readFileSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// `node scripts/run.js <file> …` runs a command of the project, or a program of its packages. Plain JavaScript without packages: it must be able to say
// that packages are missing, or that this Node.js is too old to read TypeScript.
const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..')
const [file = ''] = process.argv.splice(2, 1)

/** The first Node.js that npm can install the packages with, and the first one that reads TypeScript. */
const needed = { npm: [20, 19], commands: [22, 18] }

const fault = faultOf()
if (fault === undefined) {
  // What Node.js has compiled is kept for the next command, and for those that this one starts: they start in two thirds of the time.
  process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'node')
  module.enableCompileCache?.()
  // For this process, and for those that it starts.
  const drizzle = join(root, 'scripts', 'lib', 'drizzle.js')
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --require=${JSON.stringify(drizzle)}`
  await import(pathToFileURL(drizzle).href)
  try {
    await import(pathToFileURL(join(root, file)).href)
  } catch (error) {
    // A package is not whole, as after an installation that was interrupted.
    const isIncomplete = /MODULE_NOT_FOUND$|^ENOENT$/.test(error.code)
    if (!(isIncomplete && error.message.includes('node_modules'))) {
      throw error
    }
    console.error(`A file is missing, run npm ci: ${error.message}`)
    process.exitCode = 1
  }
} else {
  console.error(fault)
  process.exitCode = 1
}

/** What keeps commands from running, in one line that says what to do. */
function faultOf() {
  if (!isAtLeast(needed.npm)) {
    return `Node.js ${process.version} is too old: install ${needed.npm.join('.')} or newer.`
  }
  if (!existsSync(join(root, 'node_modules', '.package-lock.json'))) {
    return 'node_modules is missing: run npm ci first'
  }
  const missing = packages().find((path) => !existsSync(join(root, path)))
  if (missing) {
    return `${missing} is missing: run npm ci first`
  }
  if (!isAtLeast(needed.commands)) {
    return `Node.js ${process.version} is too old for this: use npm run, which takes the Node.js of the project; if you did, run npm rebuild node`
  }
  return undefined
}

/** The paths of the packages that npm installs on any machine. */
function packages() {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.keys(lock.packages).filter((path) => !lock.packages[path].optional)
}

/** @param {number[]} version */
function isAtLeast([major = 0, minor = 0]) {
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}
