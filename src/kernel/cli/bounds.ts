import { InvalidArgumentError } from 'commander'

/** A reader of an option that has the bounds of the member which sets the same in the API. */
export const within =
  ({ minLength = 0, maxLength }: { minLength?: number; maxLength?: number }) =>
  (text: string): string => {
    const { length } = [...text]
    if (length < minLength || length > maxLength!)
      throw new InvalidArgumentError(`It has to have ${minLength} to ${maxLength} characters.`)
    return text
  }
