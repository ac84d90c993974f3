/** Code that is woven into methods of Hazelcast. It calls {@code boot} alone. */
@NullMarked
package io.palinode.hazelcast.advice;

import org.jspecify.annotations.NullMarked;
