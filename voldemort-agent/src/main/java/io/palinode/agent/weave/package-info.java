/**
 * Which methods of Voldemort are woven, and how.
 *
 * <p>Guarantee: a server that lacks one of the methods is refused before it opens anything.
 */
@NullMarked
package io.palinode.agent.weave;

import org.jspecify.annotations.NullMarked;
