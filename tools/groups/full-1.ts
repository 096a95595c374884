import { together } from '../../test/support/together.ts'

together(import.meta.url)
