@NullMarked
package io.palinode.orchestrator.rest.events;

import org.jspecify.annotations.NullMarked;
