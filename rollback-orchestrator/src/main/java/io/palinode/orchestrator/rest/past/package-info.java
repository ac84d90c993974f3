/** Reads of the past over the API. */
@NullMarked
package io.palinode.orchestrator.rest.past;

import org.jspecify.annotations.NullMarked;
