@NullMarked
package io.palinode.orchestrator.rest;

import org.jspecify.annotations.NullMarked;
