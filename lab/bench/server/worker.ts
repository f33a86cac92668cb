import { childrenOf, optionsOf, serves } from './process.ts'
import { serveWorker, type WorkerOptions } from './workerd.ts'

// A process that serves a Worker. The CPU that counts is that of workerd alone.
const worker = await serveWorker(optionsOf<WorkerOptions>())
const [pid = 0] = await childrenOf(process.pid)
serves({ url: worker.url.href, pid }, worker.close)
