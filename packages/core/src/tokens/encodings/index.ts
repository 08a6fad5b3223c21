export { type Encoding, type EncodingName, getEncoding } from './encoding.ts'
