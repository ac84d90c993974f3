/** Errors of the API, in the form of RFC 9457. */
@NullMarked
package io.palinode.orchestrator.rest.problem;

import org.jspecify.annotations.NullMarked;
