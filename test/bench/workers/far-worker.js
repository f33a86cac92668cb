// The bundle behind ways that take time. They come first.
import './far.js'
import worker from './worker.js'

export * from './worker.js'
export default worker
