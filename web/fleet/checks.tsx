/** Several of a few values, as checkboxes with one name. */
import { Check } from "../parts/field.js";

interface ChecksProps {
  readonly legend: string;
  /** Texts by values. */
  readonly words: Readonly<Record<string, string>>;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

export function Checks({ legend, words, chosen, onChange }: ChecksProps) {
  const values = Object.keys(words);
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      {values.map((value) => (
        <Check
          key={value}
          text={words[value] ?? value}
          checked={chosen.includes(value)}
          onChange={(isChecked) =>
            onChange(values.filter((each) => (each === value ? isChecked : chosen.includes(each))))
          }
        />
      ))}
    </fieldset>
  );
}
