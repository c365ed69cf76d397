// How much of a budget is used. Unknown is said, not drawn as empty.
// `text`: instead of the percentage beside it, where more than the whole can be used.
export function Meter({ share, label, text }: { share: number | null; label: string; text?: string }) {
  if (share === null) {
    return <span class="quiet">unknown</span>;
  }
  const percent = Math.round(Math.max(0, Math.min(1, share)) * 100);
  return (
    <span>
      <span class="meter" role="meter" aria-label={label} aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100}>
        <i style={{ width: `${percent}%` }} />
      </span>{' '}
      {text ?? `${percent} %`}
    </span>
  );
}
