// A button for what cannot be taken back: it says what will happen and asks once more. The answer, or why
// it was refused, is told beside it.
import { useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

interface ConfirmProps {
  label: string;
  question: string;
  children?: ComponentChildren; // what there is to know before
  confirm: string; // the word on the button that does it
  danger?: boolean;
  disabled?: boolean;
  act: () => Promise<string>; // gives what was done, in words
}

export function Confirm({ label, question, children, confirm, danger, disabled, act }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [told, setTold] = useState<{ text: string; bad: boolean } | null>(null);
  const go = (): void => {
    setBusy(true);
    act().then(
      (text) => {
        setBusy(false);
        setTold({ text, bad: false });
        dialog.current?.close();
      },
      (error: Error) => {
        setBusy(false);
        setTold({ text: error.message, bad: true });
        dialog.current?.close();
      },
    );
  };
  return (
    <>
      <button
        type="button"
        class={danger ? 'danger' : ''}
        disabled={disabled}
        onClick={() => {
          setTold(null);
          dialog.current?.showModal();
        }}
      >
        {label}
      </button>
      <dialog ref={dialog} aria-label={question}>
        <div class="stack">
          <h2>{question}</h2>
          {children ? <div>{children}</div> : null}
          <div class="actions">
            <button type="button" class={danger ? 'danger' : 'primary'} disabled={busy} onClick={go}>
              {confirm}
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </div>
        </div>
      </dialog>
      {told ? (
        <span role={told.bad ? 'alert' : 'status'} class={told.bad ? 'loss' : 'gain'}>
          {told.text}
        </span>
      ) : null}
    </>
  );
}
