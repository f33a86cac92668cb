import {
  absent,
  type BadBody,
  choice,
  conflict,
  format,
  somebody,
  updating,
  withRelationships,
} from './bad-body.ts'
import { onRelationships } from './bad-members.ts'
import { countries, relative } from './writers.ts'

const all = '/data/relationships'
const citizenships = `${all}/citizenships`
const placeOfBirth = `${all}/placeOfBirth`
const relatives = `${all}/relatives`

/** Bodies that hold a resource whose relationships break their rules (contract, section 6). */
const inResources: readonly BadBody[] = [
  [
    'an unknown relationship',
    'create',
    withRelationships({ friends: { data: [] } }),
    format(`${all}/friends`),
  ],
  ['linkage without data', 'create', withRelationships({ citizenships: {} }), absent(citizenships)],
  [
    'linkage of links only',
    'create',
    withRelationships({ placeOfBirth: { links: {} } }),
    absent(placeOfBirth),
  ],
  ['a relationship null', 'create', withRelationships({ relatives: null }), absent(relatives)],
  [
    'a relationship that is an array',
    'create',
    withRelationships({ relatives: [] }),
    format(relatives),
  ],
  [
    'an unknown member beside linkage',
    'create',
    withRelationships({ citizenships: { data: [], type: 'x' } }),
    format(`${citizenships}/type`),
  ],
  [
    'null for many',
    'create',
    withRelationships({ citizenships: { data: null } }),
    absent(`${citizenships}/data`),
  ],
  [
    'one for many',
    'create',
    withRelationships({ citizenships: { data: { type: 'countries', id: 'NO' } } }),
    format(`${citizenships}/data`),
  ],
  [
    'many for one',
    'create',
    withRelationships({ placeOfBirth: { data: countries('NO') } }),
    format(`${placeOfBirth}/data`),
  ],
  [
    'an identifier of another type',
    'create',
    withRelationships({ placeOfBirth: { data: { type: 'users', id: '1' } } }),
    choice(`${placeOfBirth}/data/type`),
  ],
  [
    'bad identifiers in several relationships',
    'create',
    withRelationships({
      citizenships: { data: [{ type: 'countries' }, { type: 'currencies', id: 'NOK' }] },
      placeOfBirth: { data: { type: 'countries', id: 7 } },
      relatives: { data: [relative('1', 'COUSIN'), { type: 'users', id: '2' }] },
    }),
    absent(`${citizenships}/data/0`),
    choice(`${citizenships}/data/1/type`),
    format(`${placeOfBirth}/data/id`),
    choice(`${relatives}/data/0/meta/relationshipType`),
    absent(`${relatives}/data/1`),
  ],
  [
    'over 100 identifiers in all',
    'create',
    withRelationships({
      citizenships: { data: Array(50).fill({ type: 'countries', id: 'NO' }) },
      relatives: { data: Array(51).fill(relative('1', 'SON')) },
    }),
    format(all),
  ],
  [
    'itself as a relative',
    'update',
    updating({ relationships: { relatives: { data: [relative(somebody, 'BROTHER')] } } }),
    format(`${relatives}/data/0/id`),
  ],
  [
    'a bad identifier, another id and a bad value',
    'update',
    updating({
      id: '1',
      attributes: { fullName: '' },
      relationships: { relatives: { data: [{ type: 'users', id: '2', meta: {} }] } },
    }),
    conflict('/data/id'),
    format('/data/attributes/fullName'),
    absent(`${relatives}/data/0/meta`),
  ],
]

/** Bodies whose linkage breaks its rules. */
export const badLinkage: readonly BadBody[] = [...inResources, ...onRelationships]
