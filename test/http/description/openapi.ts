import { describeService } from '../../unit/openapi/service.ts'

/** The description as it is built, with invented addresses. */
export const { document: description, operations } = describeService()
