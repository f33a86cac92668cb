// Any Authorization header, of which npm test tries a tenth.
import './token-refused.test.ts'
