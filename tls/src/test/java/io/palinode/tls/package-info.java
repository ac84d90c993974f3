@NullMarked
package io.palinode.tls;

import org.jspecify.annotations.NullMarked;
