import t from 'tap'
import { sendDemoBack, WAYS } from '../../../test/calendar/routes/returned.ts'

t.test('every record of the demo may be sent back as it was read, in every way', async (t) => {
  await sendDemoBack(t, () => WAYS)
})
