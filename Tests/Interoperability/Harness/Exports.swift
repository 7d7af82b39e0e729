// SPDX-License-Identifier: Apache-2.0

// Every test here starts processes.
@_exported import ProcessTestSupport
