// SPDX-License-Identifier: Apache-2.0

// Most tests of this target start processes.
@_exported import ProcessTestSupport
