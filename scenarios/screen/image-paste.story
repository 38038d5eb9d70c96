Images (UI-3): Ctrl+V pastes the clipboard's image, read by a desktop program; a dropped path becomes an image; a path in the message attaches its
image. A missing image is reported.

--- file bin/wl-paste
#!/bin/sh
test -e empty && exit 1
case "$1" in
--list-types) printf 'text/plain\nimage/png\n' ;;
*) printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\001\0\0\0\001pasted' ;;
esac
--- sh
chmod +x bin/wl-paste
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\001\0\0\0\001dropped' > 'a b.png'
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\001\0\0\0\001written' > c.png
printf 'no image' > d.png
--- model
{"turns": [{"text": "Three pictures."}]}
--- env PATH=$WS/bin:/usr/bin:/bin
--- env WAYLAND_DISPLAY=wayland-0
--- pty 80x24 cutonce
--- keys
< claude-
> look: 
press ctrl+v
< [Image #1]
paste a\ b.png
< [Image #2]
paste d.png
< not a PNG
! touch empty
press ctrl+v
< no image on the clipboard
>  and c.png
press enter
< Three pictures.
--- shows
! $WS/d.png: it is not a PNG, JPEG, GIF or WebP image
! There is no image on the clipboard.

> look: [Image #1][Image #2] and c.png

● Three pictures.

›

/help  claude-sonnet-5-5 · <n>% · $<n> · <n> tokens

--- keys
press ctrl+d
--- exit 0
--- seen
request 1
  user: look: [Image #1][Image #2] and c.png
  user: {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABcGFzdGVk"}}
  user: {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABZHJvcHBlZA=="}}
  user: {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABd3JpdHRlbg=="},"cache_control":{"type":"ephemeral"}}

