/**
 * Hybrid logical clocks (HLC), hybrid vector clocks (HVC), intervals, and the order between them.
 *
 * <p>Guarantees:
 *
 * <ul>
 *   <li>If event e happened before event f through messages that carry an {@link Hvc}, then {@code
 *       hvc(e) < hvc(f)} entry by entry. Detection relies on this for soundness, rollback for
 *       consistent cuts.
 *   <li>An HLC never goes back and never runs further ahead of the physical clock than the largest
 *       accepted drift. Temporal reads rely on it: a wall-clock time names a cut.
 *   <li>With a finite ε, an entry is never older than {@code now − ε}; so the order of events that
 *       are further apart than 2ε is known without any message.
 * </ul>
 *
 * <p>Hazards: if two physical clocks differ by more than ε, the last guarantee turns false:
 * intervals that were concurrent may be called ordered, and a violation is missed. ε = ∞ never
 * assumes anything.
 */
@NullMarked
package io.palinode.hvc;

import org.jspecify.annotations.NullMarked;
