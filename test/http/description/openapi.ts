import { describeService } from '../../unit/openapi/service.ts'

/** The description as it is built, with invented addresses. */
export const { document: description, operations } = describeService()

/** The same in OpenAPI 3.1. */
export const description31 = describeService('3.1')
