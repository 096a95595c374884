export type { OpenRoom } from './calendar/resource/room.ts'
// what stands beside the API; to remove it, delete this line and its folders (docs/architecture.md)
export { wordpress } from './features/wordpress/index.ts'
