import { type BadBody, choice, format } from './bad-body.ts'

/** Bodies whose identifiers have other meta than their relationship declares (contract, section 6). */
export const badMeta: readonly BadBody[] = [
  [
    'meta that the relationship does not declare',
    'addCitizenships',
    { data: [{ type: 'countries', id: 'NO', meta: { since: 1 } }] },
    format('/data/0/meta/since'),
  ],
  [
    'meta that the relationship does not declare, of one',
    'replacePlaceOfBirth',
    { data: { type: 'countries', id: 'NO', meta: { relationshipType: 'SON' } } },
    format('/data/meta/relationshipType'),
  ],
  [
    'meta beside what the relationship declares',
    'addRelatives',
    { data: [{ type: 'users', id: '1', meta: { relationshipType: 'SON', since: 1, by: 2 } }] },
    format('/data/0/meta/by'),
    format('/data/0/meta/since'),
  ],
  [
    'meta that is not needed, but wrong',
    'removeRelatives',
    { data: [{ type: 'users', id: '1', meta: { relationshipType: 'AUNT', since: 1 } }] },
    choice('/data/0/meta/relationshipType'),
    format('/data/0/meta/since'),
  ],
]
