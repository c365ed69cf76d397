// The names of Autophase's numbers, in their order (engine/features/autophase.h says what they count).
export const kAutophase: readonly string[] = (
  'BBNumArgsHi BBNumArgsLo onePred onePredOneSuc onePredTwoSuc oneSuccessor twoPred twoPredOneSuc twoEach twoSuccessor morePreds BB03Phi BBHiPhi ' +
  'BBNoPhi BeginPhi BranchCount returnInt CriticalCount NumEdges const32Bit const64Bit numConstZeroes numConstOnes UncondBranches binaryConstArg ' +
  'NumAShrInst NumAddInst NumAllocaInst NumAndInst BlockMid BlockLow NumBitCastInst NumBrInst NumCallInst NumGetElementPtrInst NumICmpInst ' +
  'NumLShrInst NumLoadInst NumMulInst NumOrInst NumPHIInst NumRetInst NumSExtInst NumSelectInst NumShlInst NumStoreInst NumSubInst NumTruncInst ' +
  'NumXorInst NumZExtInst TotalBlocks TotalInsts TotalMemInst TotalFuncs ArgsPhi testUnary'
).split(' ');

export interface FeatureRow {
  name: string;
  value: number;
  change: number; // since the parent
}

export function featureRows(now: readonly number[] | null, before: readonly number[] | null): FeatureRow[] {
  return (now ?? []).map((value, index) => ({
    name: kAutophase[index] ?? `number ${index + 1}`,
    value,
    change: before ? value - (before[index] ?? 0) : 0,
  }));
}
