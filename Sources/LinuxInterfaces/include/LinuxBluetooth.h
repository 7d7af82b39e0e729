// SPDX-License-Identifier: Apache-2.0
//
// Bluetooth sockets. The kernel declares them in include/net/bluetooth, which is not one of its
// exported headers, so this file declares them again. The numbers and layouts are the kernel's
// binary interface and do not change.

#pragma once

#ifdef __linux__

#include <stdint.h>
#include <sys/ioctl.h>

/// The address family of Bluetooth sockets, and the number of the HCI protocol.
static const int32_t LINUX_AF_BLUETOOTH = 31;
static const int32_t LINUX_BTPROTO_HCI = 1;

/// The protocol of L2CAP sockets, and the types of their addresses.
static const int32_t LINUX_BTPROTO_L2CAP = 0;
static const uint8_t LINUX_BDADDR_LE_PUBLIC = 1;
static const uint8_t LINUX_BDADDR_LE_RANDOM = 2;

/// The address of an L2CAP socket. The integers have the processor's order for the family, and are
/// little-endian otherwise. The bytes of the address begin with the least significant one.
struct linux_sockaddr_l2 {
    uint16_t family;
    uint16_t psm;
    uint8_t address[6];
    uint16_t cid;
    uint8_t address_type;
};

/// Options of Bluetooth sockets: the security of the link, and the lengths of SDUs.
static const int32_t LINUX_SOL_BLUETOOTH = 274;
static const int32_t LINUX_BT_SECURITY = 4;
static const int32_t LINUX_BT_SNDMTU = 12;
static const int32_t LINUX_BT_RCVMTU = 13;

struct linux_bt_security {
    uint8_t level;
    uint8_t key_size;
};

/// The security levels: no encryption, and encryption without authentication.
static const uint8_t LINUX_BT_SECURITY_LOW = 1;
static const uint8_t LINUX_BT_SECURITY_MEDIUM = 2;

/// The channel of an HCI socket: exclusive use of one adapter, or the kernel's management interface
/// for all adapters.
static const uint16_t LINUX_HCI_CHANNEL_USER = 1;
static const uint16_t LINUX_HCI_CHANNEL_CONTROL = 3;
/// The device number of a socket that is not bound to a specific adapter.
static const uint16_t LINUX_HCI_DEV_NONE = 0xFFFF;

/// The address of an HCI socket.
struct linux_sockaddr_hci {
    uint16_t family;
    uint16_t device;
    uint16_t channel;
};

/// The requests to an HCI socket that is not bound. The argument of the first two is the number of
/// an adapter. The argument of the others is a structure that begins with its capacity in adapters
/// or with the number of an adapter.
static const unsigned long LINUX_HCIDEVUP = _IOW('H', 201, int);
static const unsigned long LINUX_HCIDEVDOWN = _IOW('H', 202, int);
static const unsigned long LINUX_HCIGETDEVLIST = _IOR('H', 210, int);
static const unsigned long LINUX_HCIGETDEVINFO = _IOR('H', 211, int);
static const unsigned long LINUX_HCIGETCONNLIST = _IOR('H', 212, int);

/// Commands of the management channel (BlueZ, doc/mgmt-api.txt).
static const uint16_t LINUX_MGMT_OP_READ_INDEX_LIST = 0x0003;
static const uint16_t LINUX_MGMT_OP_READ_UNCONF_INDEX_LIST = 0x0036;

#endif
