/** Reads candidates when a user asks for them. No decision depends on it. */
@NullMarked
package io.palinode.orchestrator.kafka.candidates;

import org.jspecify.annotations.NullMarked;
