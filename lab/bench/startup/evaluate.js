// Loads a bundle with marks once, and prints when it has begun, come to each mark, and ended.

// Node loads these at first use, which a Worker does not wait for.
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
