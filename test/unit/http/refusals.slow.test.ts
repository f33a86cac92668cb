// Ten times as many refused requests as npm test sends.
import './refusals.test.ts'
