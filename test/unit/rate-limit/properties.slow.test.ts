// The properties of the limiter, each with as many random values as they say: npm test tries a tenth of them.
import './bucket.properties.test.ts'
import './name.test.ts'
import './object.test.ts'
