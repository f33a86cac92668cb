import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, inject, it } from 'vitest'
import { logIn, openDocumentation, operationOf } from './visitor.ts'

const run = promisify(execFile)

/** How the snippet of each tab is run, as a reader would run it. */
const commands: Readonly<Record<string, readonly [string, ...string[]]>> = {
  curl: ['sh', '-c'],
  JavaScript: [process.execPath, '--input-type=module', '--eval'],
  Python: ['python3', '-c'],
}

/** Changes the name of the user "1", or reads it. */
async function nameOf(token: string, fullName?: string): Promise<string> {
  const url = `${inject('service')}/jsonapi/users/1`
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/vnd.api+json',
  }
  if (fullName !== undefined) {
    const body = JSON.stringify({ data: { type: 'users', id: '1', attributes: { fullName } } })
    await fetch(url, { method: 'PATCH', headers, body })
  }
  const response = await fetch(url, { headers })
  const { data } = (await response.json()) as { data: { attributes: { fullName: string } } }
  return data.attributes.fullName
}

it('Each request that the page has sent stands beside its answer once, in curl, JavaScript and Python, which send the same', async () => {
  const reader = await openDocumentation()
  await logIn(reader, 'John Doe')
  const fullName = `John O'Doe \\ \`"$HOME" \${x} '''`
  const body = JSON.stringify({ data: { type: 'users', id: '1', attributes: { fullName } } })
  await reader.run('Change one user', async (form) => {
    await form.locator('tr[data-param-name="id"] input').fill('1')
    await form.locator('textarea').first().fill(body)
  })
  const operation = operationOf(reader.page, 'Change one user')
  const stored = await reader.page.evaluate(() => Object.values(sessionStorage)[0])
  const { token } = JSON.parse(String(stored)).Authorization_Code_With_PKCE

  expect(await nameOf(token)).toBe(fullName)
  expect(await operation.locator('.curl-command').count()).toBe(1)
  for (const [name, [command, ...args]] of Object.entries(commands)) {
    // By keyboard, which Swagger UI itself forgets.
    await operation.getByRole('button', { name, exact: true }).focus()
    await reader.page.keyboard.press('Enter')
    const snippet = (await operation.locator('.curl-command pre').textContent()) ?? ''
    expect(await nameOf(token, 'Somebody Else')).toBe('Somebody Else')
    await run(command, [...args, snippet])
    expect([name, await nameOf(token)]).toEqual([name, fullName])
  }
  await nameOf(token, 'John Doe')
})
