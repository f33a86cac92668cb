// What workerd gives a Worker, as far as loading the service takes it, for a bundle that is loaded in Node.

globalThis.caches = { default: {} }

export class DurableObject {}

export const env = JSON.parse(process.env.BENCH_VARS)

export const waitUntil = () => {}
