/**
 * Clauses with {@code within}: a trigger is violated if no answer to it is true in time. Pure.
 *
 * <p>Guarantee: a violation is reported only if no known reading of an answer is surely in time,
 * and nothing that could be such an answer was missed. What cannot be known is counted.
 */
@NullMarked
package io.palinode.detection.within;

import org.jspecify.annotations.NullMarked;
