const mappedPrefix = '0:0:0:0:0:ffff'

/**
 * The network that is charged for an address (contract, section 10): an IPv4 address itself, the IPv4 address in an IPv4-mapped
 * one, and the /64 of any other IPv6 address, because one subscriber has at least that much. A network has exactly one
 * spelling. `undefined` when the text is no IP address.
 */
export function networkOf(address: string): string | undefined {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) {
    return hostOf(address)
  }
  if (!/^[\da-f:.]+$/i.test(address)) {
    return undefined
  }

  const host = hostOf(`[${address}]`)
  if (!host) {
    return undefined
  }
  const groups = groupsOf(host.slice(1, -1))
  return groups.slice(0, 6).join(':') === mappedPrefix
    ? dotted(groups.slice(6))
    : `${groups.slice(0, 4).join(':')}::/64`
}

/** The address as a URL spells it, in lower case and without leading zeros; undefined when it is not valid. */
function hostOf(host: string): string | undefined {
  const url = `http://${host}/`
  return URL.canParse(url) ? new URL(url).hostname : undefined
}

/** The eight hexadecimal groups of an IPv6 address, `::` filled in. */
function groupsOf(address: string): readonly string[] {
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros: readonly string[] = Array(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail]
}

/** Two hexadecimal groups as an IPv4 address. */
function dotted(groups: readonly string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((bits) => [bits >> 8, bits & 255])
    .join('.')
}
