/** The N/R/W client of Voldemort-style stores. */
@NullMarked
package io.palinode.voldemort.client;

import org.jspecify.annotations.NullMarked;
