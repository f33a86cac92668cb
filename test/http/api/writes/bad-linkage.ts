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

/** Bodies that hold linkage (contract, section 6). */
const onRelationships: readonly BadBody[] = [
  ['no data', 'replaceCitizenships', {}, absent('')],
  ['no data', 'replacePlaceOfBirth', { meta: {} }, absent('')],
  ['data null', 'addCitizenships', { data: null }, absent('/data')],
  ['data null', 'removeRelatives', { data: null }, absent('/data')],
  ['one for many', 'addCitizenships', { data: { type: 'countries', id: 'NO' } }, format('/data')],
  ['many for one', 'replacePlaceOfBirth', { data: countries('NO') }, format('/data')],
  ['a string for one', 'replacePlaceOfBirth', { data: 'NO' }, format('/data')],
  ['strings for identifiers', 'replaceCitizenships', { data: ['NO'] }, format('/data/0')],
  ['null for an identifier', 'replaceCitizenships', { data: [null] }, absent('/data/0')],
  ['an empty identifier', 'addCitizenships', { data: [{}] }, absent('/data/0'), absent('/data/0')],
  ['no id', 'addCitizenships', { data: [{ type: 'countries' }] }, absent('/data/0')],
  [
    'a lid in place of an id',
    'addCitizenships',
    { data: [{ type: 'countries', lid: 'a' }] },
    absent('/data/0'),
  ],
  [
    'an id that is a number',
    'addCitizenships',
    { data: [{ type: 'countries', id: 7 }] },
    format('/data/0/id'),
  ],
  [
    'an id that is null',
    'addCitizenships',
    { data: [{ type: 'countries', id: null }] },
    absent('/data/0/id'),
  ],
  ['an empty id', 'removeCitizenships', { data: countries('') }, format('/data/0/id')],
  [
    'an id of 65 characters',
    'removeCitizenships',
    { data: countries('x'.repeat(65)) },
    format('/data/0/id'),
  ],
  ['an id with NUL', 'replaceCitizenships', { data: countries('N\0') }, format('/data/0/id')],
  [
    'another type',
    'replacePlaceOfBirth',
    { data: { type: 'currencies', id: 'NOK' } },
    choice('/data/type'),
  ],
  ['another type', 'removeRelatives', { data: countries('NO') }, choice('/data/0/type')],
  [
    'an attribute in an identifier',
    'addCitizenships',
    { data: [{ type: 'countries', id: 'NO', attributes: {} }] },
    format('/data/0/attributes'),
  ],
  [
    'meta that is a string',
    'addCitizenships',
    { data: [{ type: 'countries', id: 'NO', meta: 'x' }] },
    format('/data/0/meta'),
  ],
  [
    '101 identifiers',
    'addCitizenships',
    { data: Array(101).fill({ type: 'countries', id: 'NO' }) },
    format('/data'),
  ],
  [
    '101 identifiers',
    'removeRelatives',
    { data: Array(101).fill({ type: 'users', id: '1' }) },
    format('/data'),
  ],
  ['an unknown member beside data', 'replaceRelatives', { data: [], users: 1 }, format('/users')],
  ['no meta', 'addRelatives', { data: [{ type: 'users', id: '1' }] }, absent('/data/0')],
  [
    'no relationshipType',
    'replaceRelatives',
    { data: [{ type: 'users', id: '1', meta: {} }] },
    absent('/data/0/meta'),
  ],
  [
    'relationshipType null',
    'addRelatives',
    { data: [{ type: 'users', id: '1', meta: { relationshipType: null } }] },
    absent('/data/0/meta/relationshipType'),
  ],
  [
    'a relationshipType that is none',
    'addRelatives',
    { data: [relative('1', 'COUSIN')] },
    choice('/data/0/meta/relationshipType'),
  ],
  [
    'a relationshipType in lower case',
    'replaceRelatives',
    { data: [relative('1', 'SON'), relative('2', 'wife')] },
    choice('/data/1/meta/relationshipType'),
  ],
  [
    'a relationshipType that is an array',
    'addRelatives',
    { data: [{ type: 'users', id: '1', meta: { relationshipType: ['SON'] } }] },
    choice('/data/0/meta/relationshipType'),
  ],
  [
    'one member twice, with different meta',
    'addRelatives',
    { data: [relative('1', 'SON'), relative('1', 'WIFE')] },
    format('/data/1'),
  ],
  ['itself', 'addRelatives', { data: [relative(somebody, 'BROTHER')] }, format('/data/0/id')],
  [
    'itself',
    'replaceRelatives',
    { data: [relative('1', 'SON'), relative(somebody, 'SON')] },
    format('/data/1/id'),
  ],
]

/** Bodies whose linkage breaks its rules. */
export const badLinkage: readonly BadBody[] = [...inResources, ...onRelationships]
