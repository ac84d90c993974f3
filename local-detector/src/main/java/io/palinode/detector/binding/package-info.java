/**
 * What a store brings to its detector, and the values that they exchange: {@link
 * io.palinode.detector.binding.WriteFeed}, {@link io.palinode.detector.binding.NodeClock} and a
 * {@link io.palinode.detector.binding.ControlLog}.
 */
@NullMarked
package io.palinode.detector.binding;

import org.jspecify.annotations.NullMarked;
