@NullMarked
package io.palinode.dashboards;

import org.jspecify.annotations.NullMarked;
