/**
 * The node's side of the rollback protocol: from the control log to duties and acknowledgements.
 *
 * <p>Promise: the duties of a node follow from the log alone, and a repeated duty changes nothing
 * (I24).
 */
@NullMarked
package io.palinode.detector.control;

import org.jspecify.annotations.NullMarked;
