@NullMarked
package io.palinode.detection.witness;

import org.jspecify.annotations.NullMarked;
