import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { addPages } from '../../../src/http/pages.ts'
import { about, registry } from '../../../src/resources/index.ts'

/** The pages of a service whose URL is known, or else follows from the request. */
function pages(root: string, publicUrl?: string) {
  const app = new Hono()
  addPages(app, registry, root, {
    about,
    publicUrl,
    authUrl: 'https://login.example',
    issuer: 'https://login.example',
    clientId: '',
    asset: async () => new Response(''),
    replicated: false,
  })
  return app
}

/** The anchors of the catalog, and where its links lead. */
async function catalogAt(url: string, app: ReturnType<typeof pages>) {
  const response = await app.request(`${url}/.well-known/api-catalog`)
  const { linkset } = (await response.json()) as {
    linkset: readonly ({ anchor: string } & Record<string, { href: string }[]>)[]
  }
  return {
    link: response.headers.get('Link'),
    anchors: linkset.map(({ anchor }) => anchor),
    leads: linkset.flatMap(({ anchor: _, ...relations }) =>
      Object.values(relations).flatMap((links) => links.map(({ href }) => href)),
    ),
  }
}

describe('The catalog (RFC 9727; contract, section 19)', () => {
  it('names the configured address, wherever it is asked for', async () => {
    const known = pages('/api', 'https://people.example/api')
    const { anchors, leads, link } = await catalogAt('http://127.0.0.1:8787', known)

    expect(anchors).toEqual([
      'https://people.example/.well-known/api-catalog',
      'https://people.example/api',
    ])
    expect(leads).toEqual([
      'https://people.example/api',
      'https://people.example/api/oas',
      'https://people.example/api/docs',
      'https://people.example/.well-known/oauth-protected-resource/api',
      'https://people.example/health',
    ])
    expect(link).toContain('<https://people.example/api>; rel="item"')
  })

  it('names the address at which it was asked for where none is configured', async () => {
    const { anchors, leads } = await catalogAt('http://127.0.0.1:8787', pages('/jsonapi'))

    expect(anchors[1]).toBe('http://127.0.0.1:8787/jsonapi')
    expect(leads.every((lead) => lead.startsWith('http://127.0.0.1:8787/'))).toBe(true)
  })
})
