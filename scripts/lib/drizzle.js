import { registerHooks } from 'node:module'

// Node.js parses the package.json of drizzle-orm, 180 KB, anew for each of its hundred modules, which takes a second in every process.
// They name each other by their files, so that there is nothing to look up.
registerHooks({
  resolve(specifier, context, next) {
    const parent = context.parentURL ?? ''
    return parent.includes('/node_modules/drizzle-orm/') && /^\.\.?\/.+\.js$/.test(specifier)
      ? { url: new URL(specifier, parent).href, format: 'module', shortCircuit: true }
      : next(specifier, context)
  },
})
