@NullMarked
package io.palinode.orchestrator.alert;

import org.jspecify.annotations.NullMarked;
