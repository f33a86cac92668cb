// The properties of the database, each with as many random values as they say: npm test tries a tenth of them.
import './histories.test.ts'
import './transactions.properties.test.ts'
