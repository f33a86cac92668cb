import fc from 'fast-check'
import { allScopes } from '../../bench/issuer.ts'
import { goodHeaders, type World } from './world.ts'

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']

/** Every method on every path of the description: those that it lists, and those that it does not. */
export function methodProperty(world: World) {
  const paths = [...new Set(world.operations.map(({ path }) => path))]
  return fc.asyncProperty(
    fc.constantFrom(...paths),
    fc.constantFrom(...methods),
    async (path, method) => {
      const known = world.operations.filter((operation) => operation.path === path)
      const token = await world.sign({ sub: 'methods', scope: allScopes })
      const [, type = ''] = path.split('/')
      const at = world.root + path.replace('{id}', world.ids[type]?.[0] ?? '1')
      const answer = await world.send({ method, path: at, headers: goodHeaders(token, false) })
      const allow = String(answer.headers.allow ?? '').split(', ')
      const fault = (text: string): never => {
        throw new Error(`${method} ${at}: ${answer.status}: ${text}`)
      }
      if (answer.status >= 500) {
        fault(answer.text)
      }
      if (method === 'OPTIONS' || answer.status === 405) {
        const missing = known.filter((operation) => !allow.includes(operation.method))
        if (missing.length > 0 || (method !== 'OPTIONS' && allow.includes(method))) {
          fault(`Allow is ${allow}`)
        }
      }
      if (method === 'OPTIONS' && answer.status !== 204) {
        fault('204 is right')
      }
      const isRead = known.some((operation) => operation.method === 'GET')
      if (method === 'HEAD' && (answer.status !== (isRead ? 200 : 405) || answer.text !== '')) {
        fault(`${isRead ? 200 : 405} without a body is right`)
      }
      const isKnown = known.some((operation) => operation.method === method)
      if (
        !isKnown &&
        !['HEAD', 'OPTIONS'].includes(method) &&
        ![404, 405].includes(answer.status)
      ) {
        fault('404 or 405 is right')
      }
    },
  )
}
