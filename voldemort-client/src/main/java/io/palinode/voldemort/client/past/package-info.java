/** Questions about the past that need several nodes, or several answers of one. */
@NullMarked
package io.palinode.voldemort.client.past;

import org.jspecify.annotations.NullMarked;
