// Loads a bundle with marks once, and prints the times of the beginning, of each mark and of the end.

// Node loads these when they are first used. workerd has them ready, so that they are loaded before the clock starts.
new Response(null, { headers: new Headers() })
await crypto.subtle.digest('SHA-256', new Uint8Array())

const marks = []
globalThis.mark = (part) => marks.push([part, performance.now()])
const begun = performance.now()
const { default: worker } = await import(process.argv[2])
const ended = performance.now()

// With a wrong environment the bundle loads, too, and takes less than usual.
const { status } = await worker.fetch(new Request('http://127.0.0.1/'), {}, {})
if (status >= 500) {
  throw new Error(`The bundle does not work in Node: ${status}`)
}
console.log(JSON.stringify([['reading and compiling', begun], ...marks, ['', ended]]))
