import { describeService } from '../../unit/openapi/service.ts'

/** The description as it is built, for addresses made up. */
export const { document: description, operations } = describeService()
