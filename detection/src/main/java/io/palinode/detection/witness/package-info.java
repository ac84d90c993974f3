/**
 * A violation that can be checked again without a cluster: {@link
 * io.palinode.detection.witness.PortableWitness} is what is needed, {@link
 * io.palinode.detection.witness.WitnessCheck} the check, {@link
 * io.palinode.detection.witness.WitnessJson} the file. Pure.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>What the check passes is a violation by the rules that it names: every term holds on the
 *       values under the binding, the intervals are pairwise concurrent, and the id, the grade and
 *       the times are theirs.
 *   <li>A change of any one thing, by accident or by a careless hand, breaks a rule: at least the
 *       digest, which covers all.
 * </ul>
 *
 * <p>Hazards:
 *
 * <ul>
 *   <li>The digest is no signature: a forger can compute it again.
 *   <li>Only the writer of the file vouches that the intervals existed.
 *   <li>While an end is not known, or (with joined replicas) may still move back, the grade may be
 *       less than the clocks in the file allow; the check then only holds that it is not more.
 * </ul>
 */
@NullMarked
package io.palinode.detection.witness;

import org.jspecify.annotations.NullMarked;
