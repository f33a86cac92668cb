// The part of workerd's API that the service needs to load, for a bundle that is loaded in Node.

globalThis.caches = { default: {} }

export class DurableObject {}

export const env = JSON.parse(process.env.BENCH_VARS)

export const waitUntil = () => {}
