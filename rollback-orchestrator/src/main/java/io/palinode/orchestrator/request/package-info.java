/**
 * What an operator asks of the orchestrator, and the effect of that. A core: no clock, no I/O.
 *
 * <p>Promise: a request that cannot succeed is refused with one sentence that names the reason and
 * the way out.
 */
@NullMarked
package io.palinode.orchestrator.request;

import org.jspecify.annotations.NullMarked;
