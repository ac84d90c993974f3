@NullMarked
package io.palinode.orchestrator.rest.access;

import org.jspecify.annotations.NullMarked;
