/**
 * Detection over candidates that still arrive: the state of one instance in the monitor. Pure.
 *
 * <p>Promise: a codec restores exactly the state that it encoded, so a checkpoint loses nothing.
 */
@NullMarked
package io.palinode.detection.stream;

import org.jspecify.annotations.NullMarked;
